#!/usr/bin/env bash
# Publishes the packages that `npm run release` has packed into release/, in their order, and tags the
# commit with each version. It runs no code of the packages and can be repeated after a failure.
# Arguments such as --provenance are passed to `npm publish`.
set -euo pipefail
cd "$(dirname "$0")/../.."
registry=$(npm config get registry)
# An .npmrc may name another registry for the scope. This overrides it.
to=(--registry "$registry" "--@insurance-gateway:registry=$registry")
while read -r name version tarball; do
  if npm view "$name@$version" version "${to[@]}" 2>/dev/null | grep -q .; then
    echo "The registry has $name@$version"
  else
    npm publish "./release/$tarball" --access public --ignore-scripts --loglevel error "${to[@]}" "$@"
    echo "Published $name@$version"
  fi
  git rev-parse --quiet --verify "refs/tags/$name@$version" >/dev/null || git tag "$name@$version"
done <release/publish.txt
