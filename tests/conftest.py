"""What the whole test run shares: browser tests at the end, and a line where they did not run."""

import pytest
from hypothesis import settings

# A busy machine is not a failure: tests protect behaviour, benchmarks measure time.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests go last: Playwright keeps an event loop running until the end, and in its
    thread nothing else can run one.
    """
    items.sort(key=lambda item: "tests/browser/" in item.nodeid)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if "browser" in getattr(report, "keywords", {})
    ]
    if skipped:
        terminalreporter.write_line(
            f"{len(skipped)} browser tests did not run: no Chromium. Install it with "
            "`apt-get install chromium`, or set CHROMIUM to its path; REQUIRE_BROWSER=1 makes "
            "this a failure.",
            yellow=True,
        )
