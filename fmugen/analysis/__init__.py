"""Questions about a compiled model: is it sound, and what drives it."""
