# One vault behind HTTP: docker build -t memoryclaw . && docker run -v ~/notes:/vault -p 127.0.0.1:7411:7411 memoryclaw
FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip install --no-cache-dir '/src[agent]' && rm -rf /src
RUN useradd --create-home --uid 1000 claw && mkdir /vault && chown claw /vault
USER claw
ENV MEMORYCLAW_VAULT=/vault
VOLUME /vault
EXPOSE 7411
CMD ["memoryclaw", "serve", "--host", "0.0.0.0", "--port", "7411", "--allow-remote"]
