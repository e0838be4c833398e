"""Who people are, what they may do and how they are invited: sessions, tokens, users, invitations."""
