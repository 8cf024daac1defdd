//! The program for Windows, run by wine and driven from here.
