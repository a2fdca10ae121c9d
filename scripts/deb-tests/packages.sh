# shellcheck shell=bash
# The packages of scripts/deb-test: those in .build-deb as old.deb, cluster.deb and mount.deb, and the first one with a higher version as new.deb.

PACKAGES=$ROOT/.build-deb

# Sets the version of the packages, and their paths.
require_packages() {
    local file
    VERSION=$(cd "$ROOT" && dpkg-parsechangelog --show-field Version)
    PACKAGE=$PACKAGES/kairan_${VERSION}_$(dpkg --print-architecture).deb
    CLUSTER_PACKAGE=$PACKAGES/kairan-relay-cluster_${VERSION}_$(dpkg --print-architecture).deb
    MOUNT_PACKAGE=$PACKAGES/kairan-mount_${VERSION}_$(dpkg --print-architecture).deb
    for file in "$PACKAGE" "$CLUSTER_PACKAGE" "$MOUNT_PACKAGE"; do [ -e "$file" ] || fail "$file does not exist ('make deb' builds it)"; done
}

# Puts the four into the folder packages of the lab.
make_packages() {
    mkdir -p "$LAB/packages"
    cp "$PACKAGE" "$LAB/packages/old.deb"
    cp "$CLUSTER_PACKAGE" "$LAB/packages/cluster.deb"
    cp "$MOUNT_PACKAGE" "$LAB/packages/mount.deb"
    make_newer_package
    step "packages $VERSION and $(dpkg-deb --field "$LAB/packages/new.deb" Version)"
}

# Builds it from a copy of the tree with another changelog entry, and with the programs of the first package. It is temporary, so it is
# compressed fast.
make_newer_package() {
    mkdir "$LAB/tree" "$LAB/next"
    git -C "$ROOT" ls-files -z --cached --others --exclude-standard | (cd "$ROOT" && xargs -0 cp --no-dereference --parents --target-directory="$LAB/tree")
    cp "$ROOT/Package.resolved" "$LAB/tree/"
    sed -e "1s/($VERSION)/($VERSION+next)/" "$ROOT/debian/changelog" >"$LAB/changelog"
    cat "$LAB/changelog" "$ROOT/debian/changelog" >"$LAB/tree/debian/changelog"
    (cd "$LAB/tree" && KAIRAN_BIN=$(realpath "$KAIRAN_BIN") KAIRAN_DEB=$LAB/next SOURCE_DATE_EPOCH=$(date +%s) \
        DPKG_DEB_COMPRESSOR_TYPE=gzip DPKG_DEB_COMPRESSOR_LEVEL=1 DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage --build=binary --no-sign --no-check-builddeps \
        --buildinfo-file="$LAB/next/next.buildinfo" --buildinfo-option="-u$LAB/next" --changes-file="$LAB/next.changes" \
        --changes-option="-u$LAB/next") >"$LAB/next.log" 2>&1 ||
        { tail -n 20 "$LAB/next.log" >&2; fail "the package with a higher version could not be built"; }
    mv "$LAB"/next/kairan_*.deb "$LAB/packages/new.deb"
}
