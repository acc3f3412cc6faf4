"""What runs: derivative rules, kernels that generated code calls, the tape."""
