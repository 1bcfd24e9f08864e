"""Budget: what fits in the prompt at each token budget, what is cut and why, what it costs."""

from lib import resources
from lib.state import current_subject
from lib.sweep import view_budget, whole_context
from lib.ui import sweep_view
from lib.ui.swept import swept

subject_id = current_subject()
runtime = resources.memory_runtime()

task, max_tokens = sweep_view.choose(subject_id)
whole = whole_context(runtime, subject_id, task=task)
sweep = swept(runtime, subject_id, task=task, whole=whole)
if sweep is not None and sweep.empty:
    sweep_view.draw_empty(subject_id)
elif sweep is not None:
    view = view_budget(runtime, subject_id, task=task, max_tokens=max_tokens, whole=whole)
    sweep_view.draw(runtime, sweep, view, whole=whole)
