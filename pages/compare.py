"""Compare: one message, answered without memory and with it, side by side."""

from lib.state import current_subject
from lib.ui import difference, sides

subject_id = current_subject()

comparison = sides.ask(subject_id)
if comparison is None:
    sides.draw_empty(subject_id)
else:
    difference.draw(sides.draw(comparison))
