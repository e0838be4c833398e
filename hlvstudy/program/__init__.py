"""The command `hlvstudy`. It starts without Django, which only its children load (managing.py excepted)."""
