"""The laws of the judge, recorded once and run in C.

scalar    numbers that write down what is computed with them
program   a recorded function: tables of inputs to tables of outputs
library   the compiled machine that runs tapes, if this computer has a C compiler
machine.c the machine: it runs tapes and solves the equations of motion
"""
