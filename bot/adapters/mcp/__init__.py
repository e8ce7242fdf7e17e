"""Tool servers that speak the Model Context Protocol."""
