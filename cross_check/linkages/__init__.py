"""Linkages at random: a closed pose first, joints from it, and a judge of all that fmugen says of them."""
