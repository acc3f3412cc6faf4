"""Programs with matrices: four that factor matrices and solve systems, four with matrices of 2 to 12 rows in a loop.

`by_hand` has their adjoints as somebody writes them who knows LAPACK; `measure` compares srcad's gradients with these.
"""
