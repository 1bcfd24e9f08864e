"""Compare: one message, answered without memory and with it, side by side."""

from lib.state import current_subject
from lib.ui import compared, difference, question, sides

subject_id = current_subject()

comparison = question.ask(subject_id)
if comparison is None:
    question.draw_empty(subject_id)
else:
    difference.draw(sides.draw(comparison))
compared.draw(subject_id)
