"""A benchmark against other programs for multibody dynamics.

skeleton     SystemModel -> bodies and joints in numbers, with a tree
mjcf, lines  skeleton -> the files that other programs read
kane         skeleton -> C, by sympy
contestants  who is timed, each by a program of its own (time_*.c, time_*.cpp)
cases        the mechanisms, and goals
racing       a case -> times in turns, and errors
page         times -> a page
"""
