"""Pages run by Streamlit's own test runner, without a browser."""
