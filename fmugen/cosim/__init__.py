"""A system as several FMUs: cut into parts, coupled by a method, packed as SSP."""
