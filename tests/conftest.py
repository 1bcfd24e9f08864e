"""What the whole test run shares: the last line about browser tests that did not run."""

import pytest
from hypothesis import settings

# A busy machine is not a failure: tests protect behaviour, benchmarks measure time.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


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
