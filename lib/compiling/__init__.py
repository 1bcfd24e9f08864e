"""Compilers: episodes → memories."""
