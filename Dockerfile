FROM python:3.11-slim-bookworm

# bubblewrap confines the commands that the assistant runs; tzdata knows the time zones.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap git tzdata \
    && rm -rf /var/lib/apt/lists/*

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore \
    PIP_DISABLE_PIP_VERSION_CHECK=1

# It has the driver of PostgreSQL and the index of meaning. postgres.txt leaves the index out: 490 MB less.
ARG REQUIREMENTS=meaning.txt

WORKDIR /app
COPY requirements/ requirements/
RUN pip install --require-hashes --requirement requirements/build.txt \
    && pip install --require-hashes --requirement requirements/$REQUIREMENTS

COPY . .
RUN pip install --no-deps --no-build-isolation --editable . \
    && useradd --create-home --uid 1000 steward \
    && install --directory --owner steward --group steward /data

USER steward
ENV STEWARD_HOME=/data
VOLUME /data
ENTRYPOINT ["steward"]
CMD ["run"]
