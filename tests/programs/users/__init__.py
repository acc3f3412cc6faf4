"""Forty programs as users write them, by field; `tests/test_user_programs.py` differentiates each."""
