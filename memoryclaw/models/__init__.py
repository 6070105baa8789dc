"""Language models and embedders: Ollama, endpoints of OpenAI's form, a model in a wheel; each bounded in time and bytes."""
