#!/bin/sh
echo the disk is full >&2; exit 3
