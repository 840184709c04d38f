"""x"""
from neurogame.gdl.terms import Rules
def operations_text(rules: Rules) -> str:
    """x"""
    return ""
