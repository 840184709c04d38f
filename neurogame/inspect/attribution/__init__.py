"""Why an evaluator finds a state good or bad: what each of its parts, and each fluent, adds."""
