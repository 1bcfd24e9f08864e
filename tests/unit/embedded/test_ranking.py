"""The order of candidates."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lib.embedded.ranking import by_score


@given(scores=st.lists(st.sampled_from([-3.0, 0.0, 0.5, 0.5000001, 8.0]), max_size=60))
def test_rows_standby_score_and_in_the_given_order_where_equal(scores: list[float]) -> None:
    given_order = np.arange(len(scores))[::-1].copy()
    order = by_score(np.array(scores), given_order).tolist()
    assert order == sorted(given_order.tolist(), key=lambda row: -scores[row])
