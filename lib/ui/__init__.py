"""Drawing that more than one page needs."""
