"""`@requires("forget")`: a test of a capability, run on the runtimes that declare it."""

import pytest

from lib.protocol import Capability


def requires(capability: Capability) -> pytest.MarkDecorator:
    """Marks a test for the `runtime` fixture to skip where the capability is not declared."""
    return pytest.mark.requires(capability)
