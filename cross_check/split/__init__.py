"""Split systems: masters that connect their parts, and Khan's study of the ways to couple them."""
