# Two stages: what is only needed to build stays behind. Every package comes from a lock, with its hash.
ARG PYTHON=python:3.11-slim-bookworm
ARG DEBIAN=debian:bookworm-slim

FROM ${PYTHON} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends binutils
ENV PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_COMPILE=1
# It has the driver of PostgreSQL and the index of meaning. postgres.txt leaves the index out: 280 MB less.
ARG REQUIREMENTS=meaning.txt
WORKDIR /build
COPY requirements/ requirements/
RUN python -m venv /opt/steward \
    && /opt/steward/bin/pip install --require-hashes --requirement requirements/build.txt \
    && /opt/steward/bin/pip install --require-hashes --requirement requirements/$REQUIREMENTS
COPY . .
RUN /opt/steward/bin/pip install --no-deps --no-build-isolation . \
    && docker/slim.sh /opt/steward \
    && find /usr/local/lib -name "*.so*" -type f -exec strip --strip-unneeded {} + \
    && rm -rf /usr/local/lib/python3.*/site-packages/* /usr/local/lib/python3.*/ensurepip \
        /usr/local/lib/python3.*/idlelib /usr/local/lib/python3.*/tkinter \
        /usr/local/lib/python3.*/lib2to3 /usr/local/lib/python3.*/config-* /usr/local/include

FROM ${DEBIAN}
# bubblewrap confines the commands that the assistant runs; the libraries are those of Python.
# Further programs for these commands, as in PACKAGES="git ripgrep".
ARG PACKAGES=
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap ca-certificates libbz2-1.0 libexpat1 \
        libffi8 libgdbm6 liblzma5 libncursesw6 libreadline8 libsqlite3-0 libssl3 libuuid1 zlib1g $PACKAGES \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 steward \
    && install --directory --owner steward --group steward /data
COPY --from=build /usr/local /usr/local
COPY --from=build /opt/steward /opt/steward
COPY docker/healthy.sh /usr/local/bin/steward-healthy
# A library that is missing ends the build, and not a run.
RUN ldconfig && /opt/steward/bin/python -B -c "import bz2, ctypes, curses, lzma, readline, sqlite3, \
ssl, uuid, zlib, bot.start, lxml.etree, matplotlib.backends.backend_agg, PIL.Image, cryptography"

USER steward
ENV PATH=/opt/steward/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    STEWARD_HOME=/data HOME=/data STEWARD_METRICS_LISTEN=9464
WORKDIR /app
VOLUME /data
HEALTHCHECK --interval=60s --timeout=10s --start-period=120s CMD ["steward-healthy"]
ENTRYPOINT ["steward"]
CMD ["run"]
