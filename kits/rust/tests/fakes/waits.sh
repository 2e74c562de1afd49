#!/bin/sh
echo waiting >&2; exec sleep 60
