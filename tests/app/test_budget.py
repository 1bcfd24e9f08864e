"""Budget: what each budget holds, in words, charts and tables."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import resources
from tests.app.conftest import OpenPage
from tests.support.pages import charts_of, go_to, text_of

NOBODY_LISTENS = "http://127.0.0.1:9"


@pytest.fixture
def page(app: OpenPage) -> AppTest:
    return app("budget", subject="dev_alice")


def look_at(page: AppTest, max_tokens: int) -> AppTest:
    page.number_input(key="budget_marker").set_value(max_tokens).run()
    assert not page.exception, page.exception
    return page


def open_tab(page: AppTest, label: str) -> AppTest:
    page.session_state["budget_tabs"] = label
    page.run()
    assert not page.exception, page.exception
    return page


def line(figure: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(trace for trace in figure["data"] if trace.get("name") == name)
    return found


def test_the_page_names_the_subject_and_states_the_finding(page: AppTest) -> None:
    runtime = resources.memory_runtime()
    total = len(runtime.list_memories("dev_alice").memories)
    task = str(page.selectbox(key="budget_task_dev_alice").value)
    kept = len(runtime.get_context("dev_alice", task, max_tokens=200).memories)
    text = text_of(look_at(page, 200))
    assert "Budget for dev_alice" in text
    assert f"200 tokens hold {kept} of {total} memories" in text
    assert "the raw history takes" in text


def test_the_charts_show_forty_budgets_and_stay_under_the_limit(page: AppTest) -> None:
    memories, tokens = charts_of(page)
    budgets = line(tokens, "limit")["x"]
    assert 40 <= len(budgets) <= 41
    assert budgets[0] == 20
    used = line(tokens, "tokens used")["y"]
    assert all(cost <= budget for cost, budget in zip(used, budgets, strict=True))
    counts = line(memories, "memories")["y"]
    assert counts == sorted(counts)
    assert counts[-1] > 0


def test_every_chart_and_table_has_a_name_in_words(page: AppTest) -> None:
    for element in page.get("plotly_chart"):
        assert "tokens" in element.proto.alt


def test_the_chosen_budget_is_marked_in_both_charts(page: AppTest) -> None:
    for figure in charts_of(look_at(page, 137)):
        assert any(
            shape.get("x0") == shape.get("x1") == 137 for shape in figure["layout"]["shapes"]
        )


def test_what_is_in_and_what_is_cut_are_listed_with_reasons(page: AppTest) -> None:
    look_at(page, 60)
    kept, cut = (table.value for table in page.table)
    assert list(kept.columns) == ["Rank", "Kind", "Text", "Tokens", "Score"]
    assert sum(int(tokens) for tokens in kept["Tokens"]) <= 60
    assert len(cut) > 0
    assert "Did not fit the token budget" in set(cut["Why it is cut"])
    assert all(why for why in cut["Why it is cut"])


def test_nothing_fits_in_one_token_and_the_page_says_so(page: AppTest) -> None:
    text = text_of(look_at(page, 1))
    assert "1 tokens hold 0 of" in text
    assert "Nothing fits in 1 tokens" in text


def test_a_preset_moves_the_budget(page: AppTest) -> None:
    page.segmented_control(key="budget_preset").set_value(500).run()
    assert page.number_input(key="budget_marker").value == 500
    assert "500 tokens hold" in text_of(page)


def test_the_chosen_budget_is_carried_to_compare_only_on_request(page: AppTest) -> None:
    look_at(page, 200)
    go_to(page, "compare")
    assert page.number_input(key="max_tokens").value == 800
    go_to(page, "budget")
    page.button(key="use_budget").click().run()
    assert [toast.value for toast in page.toast] == ["Chat and Compare now use 200 tokens."]
    assert page.button(key="use_budget").disabled
    go_to(page, "compare")
    assert page.number_input(key="max_tokens").value == 200


def test_another_task_is_swept_and_the_last_sweep_is_kept(page: AppTest) -> None:
    task = page.selectbox(key="budget_task_dev_alice")
    first = text_of(page)
    task.set_value(task.options[1]).run()
    assert text_of(page) != first
    state = page.session_state["app_state"]
    assert len(state.sweeps) == 2
    kept = list(state.sweeps.values())
    look_at(page, 321)
    assert [sweep is before for sweep, before in zip(state.sweeps.values(), kept, strict=True)]
    assert len(state.sweeps) == 2


def test_viewing_records_nothing(page: AppTest) -> None:
    runtime = resources.memory_runtime()
    before = runtime.timeline("dev_alice")
    look_at(page, 100)
    assert runtime.timeline("dev_alice") == before


def test_the_points_can_be_read_as_a_table_and_downloaded(page: AppTest) -> None:
    (points,) = (frame.value for frame in page.dataframe)
    assert next(iter(points["Token budget"])) == 20
    assert {200, 500} & set(points["Token budget"])
    assert len(page.get("download_button")) == 1


def test_a_subject_without_memory_is_told_the_next_step(app: OpenPage) -> None:
    page = app("budget", subject="nobody_yet")
    assert "There is nothing to fit into a budget for nobody_yet yet" in text_of(page)
    assert not page.get("plotly_chart")
    assert page.get("page_link")


def test_a_runtime_that_is_down_is_explained_with_a_way_to_try_again(app: OpenPage) -> None:
    page = app("budget", subject="someone", settings={"STATEWAVE_BASE_URL": NOBODY_LISTENS})
    assert not page.exception
    assert len(page.error) == 1
    assert any("again" in button.label for button in page.button)
    assert not page.get("plotly_chart")


def test_the_map_shows_where_each_memory_enters_and_the_same_as_a_table(page: AppTest) -> None:
    open_tab(page, "Map")
    figure = charts_of(page)[-1]
    table = page.dataframe[0].value
    assert list(table["Enters at, tokens"]) == sorted(table["Enters at, tokens"])
    assert len(figure["layout"]["yaxis"]["ticktext"]) == min(len(table), 40)
    assert f"The first of {len(table)} items is in from" in text_of(page)


def test_tokens_by_kind_add_up_to_the_tokens_used(page: AppTest) -> None:
    open_tab(look_at(page, 200), "By kind")
    assert "At 200 tokens," in text_of(page)
    table = page.dataframe[0].value
    kinds = [name for name in table.columns if name not in {"Token budget", "Tokens used"}]
    assert list(table[kinds].sum(axis=1)) == list(table["Tokens used"])
    assert {trace.get("stackgroup") for trace in charts_of(page)[-1]["data"]} == {"kinds"}


def test_the_recommended_budget_is_given_with_its_reason_and_looked_at(page: AppTest) -> None:
    look_at(page, 60)
    text = text_of(page)
    assert "Recommended for this task:" in text
    assert "above the relevance floor" in text
    page.button(key="recommended_task").click().run()
    chosen = page.number_input(key="budget_marker").value
    assert f"Recommended for this task: {chosen:,} tokens" in text_of(page)
    assert not page.table[0].value.empty
    assert page.button(key="recommended_task").disabled


def test_recall_over_the_subject_s_questions_is_one_more_line(page: AppTest) -> None:
    open_tab(page, "Recall")
    names = [trace.get("name") for trace in charts_of(page)[-1]["data"]]
    assert names == ["items of this task", "recall", "recommended"]
    text = text_of(page)
    assert "expected facts are in the context from" in text
    assert "Recommended for the subject's questions:" in text
    table = page.dataframe[0].value
    assert max(table["Recall, %"]) >= 80


def test_a_subject_without_known_answers_has_no_recall(app: OpenPage) -> None:
    page = app("budget", subject="dev_alice")
    resources.memory_runtime().record_episode("ada", "I live in Porto.")
    resources.memory_runtime().compile_memories("ada")
    page = app("budget", subject="ada")
    open_tab(page, "Recall")
    assert "no questions with known answers" in text_of(page)


def test_several_tasks_are_overlaid_and_swept_once(page: AppTest) -> None:
    open_tab(page, "Several tasks")
    tasks = page.multiselect(key="budget_tasks_dev_alice")
    tasks.set_value(list(tasks.options[:2])).run()
    figure = charts_of(page)[-1]
    assert len(figure["data"]) == 3
    assert "the most of these tasks" in text_of(page)
    assert set(page.dataframe[0].value["Task"]) >= set(tasks.options[:2])
    kept = list(page.session_state["app_state"].sweeps.values())
    page.run()
    again = page.session_state["app_state"].sweeps.values()
    assert all(one is other for one, other in zip(kept, again, strict=True))


def test_the_price_of_a_thousand_turns_follows_its_inputs(page: AppTest) -> None:
    open_tab(page, "Price")
    figure = charts_of(page)[-1]
    assert figure["data"][0]["y"] == ["Stateless", "Memory", "Last turns", "Full history"]
    assert "1,000 turns of gpt-4o-mini" in text_of(page)
    before = figure["data"][0]["x"]
    page.number_input(key="price_history_dev_alice").set_value(50_000).run()
    after = charts_of(page)[-1]["data"][0]["x"]
    assert after[:3] == before[:3]
    assert after[3] > before[3]
    page.number_input(key="price_history_dev_alice").set_value(500_000).run()
    assert "Full history would not fit" in text_of(page)


def test_a_model_without_a_price_has_no_bars(app: OpenPage) -> None:
    settings = {"LLM_API_KEY": "sk-test", "OPENAI_MODEL": "home-made"}
    page = open_tab(app("budget", subject="dev_alice", settings=settings), "Price")
    assert "There is no price for home-made" in text_of(page)
    assert len(charts_of(page)) == 2
