"""Functions generated for each kind of call, which record it in less time than `recording.dispatch` does.

    generated_recorders     the function for a kind of call
    switch                  turns the accelerator on and off

Input        the settled plan of a kind of call.
Output       a function in `dispatch.shortcuts`.
Invariant    results, nodes and errors are those of `dispatch`: to a call that it does not cover, a function applies it.
"""
