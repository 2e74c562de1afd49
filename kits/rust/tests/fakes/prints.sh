#!/bin/sh
echo hello; exec sleep 60
