"""A system as several FMUs: cut into parts, held together by a method, packed as SSP."""
