"""Language models and embedders: Ollama, OpenAI-compatible endpoints, a model in a wheel; answers are limited in time and size."""
