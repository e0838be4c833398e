"""The command `hlvstudy`."""
