"""How a question is put and a reply understood."""
