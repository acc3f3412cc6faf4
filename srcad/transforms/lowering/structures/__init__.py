"""Tuples, lists, dictionaries and objects whose form is known while lowering, and what is known of them on each path.

Input        expressions on structures.
Output       expressions on their parts; the abstract state before and after each statement.
Invariant    where paths meet, only what holds on both is kept.
Elsewhere    calls that take structures (`lowering.calls`), lists that grow at run time (`lowering.lists`).
"""
