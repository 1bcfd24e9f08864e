"""Durations and costs as people read them."""


def format_usd(usd: float) -> str:
    """USD with enough digits to tell small costs apart."""
    return f"${usd:,.6f}" if abs(usd) < 0.01 else f"${usd:,.4f}"


def format_ms(milliseconds: float) -> str:
    """A duration in ms below one second, in s above."""
    if milliseconds < 10:
        return f"{milliseconds:.1f} ms"
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:,.2f} s"
