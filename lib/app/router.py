"""Page set-up, navigation, subject picker and badges; then the page itself."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from lib import resources  # noqa: E402
from lib.errors import StatewaveError  # noqa: E402
from lib.ui import failures, sidebar  # noqa: E402

st.set_page_config(page_title="Statewave", page_icon="🌊", layout="wide")

st.html(ROOT / "lib" / "ui" / "app.css")

PAGES = ROOT / "pages"
page = st.navigation(
    [
        st.Page(PAGES / "overview.py", title="Overview", icon=":material/home:", default=True),
        st.Page(PAGES / "chat.py", title="Chat", icon=":material/chat:"),
        st.Page(PAGES / "compare.py", title="Compare", icon=":material/compare:"),
        st.Page(PAGES / "budget.py", title="Budget", icon=":material/speed:"),
        st.Page(PAGES / "memory.py", title="Memory", icon=":material/database:"),
    ],
    position="top",
)

try:
    resources.prepare_demo()
    sidebar.draw()
    page.run()
except StatewaveError as error:
    failures.show(error)
