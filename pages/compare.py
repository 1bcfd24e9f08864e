"""Compare: one message, answered without memory and with it, side by side."""

from lib.state import current_subject
from lib.ui import compared, difference, question, question_run, sides

subject_id = current_subject()

setup = question.ask(subject_id)
comparison = question.current(subject_id)
if comparison is None:
    question.draw_empty(subject_id)
else:
    difference.draw(sides.draw(comparison))
compared.draw(subject_id)
question_run.draw(subject_id, setup)
