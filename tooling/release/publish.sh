#!/usr/bin/env bash
# Publishes what `npm run release` has packed into release/, in its order, and tags the commit with each version.
# It runs no code of any package. Parameters go to `npm publish`, such as --provenance. It can be repeated after a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
registry=$(npm config get registry)
# Whatever registry an npmrc names for the scope.
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
