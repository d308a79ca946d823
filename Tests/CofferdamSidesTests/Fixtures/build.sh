#!/bin/sh
# Builds the sides and hosts of the tests: build.sh KIT FIXTURES OUT
set -eu
kit=$1 fixtures=$2 out=$3
cd "$out"
mkdir kit ports changed copied v1 v2 v3

swift() { swiftc -swift-version 6 -parse-as-library -I "$kit/CCofferdamSides" -I kit "$@"; }
# Waits for what runs beside; the first that fails ends the build.
together() { for job in "$@"; do wait "$job"; done; }

# The kit, which each side and each host links statically, and the ports, which all of them link dynamically.
swift -emit-module -emit-module-path kit/CofferdamSides.swiftmodule -emit-library -static -o kit/libCofferdamSides.a \
    -module-name CofferdamSides -package-name cofferdam "$kit"/CofferdamSides/*.swift & a=$!
ports() {
    folder=$1
    shift
    swift -module-name SettingsPorts "$fixtures/Ports/Settings.swift" -emit-module \
        -emit-module-path "$folder/SettingsPorts.swiftmodule" "$@"
}
ports ports -emit-library -o ports/libSettingsPorts.so -Xlinker -soname=libSettingsPorts.so & b=$!
together $a $b
ports changed -D CHANGED -emit-library -o changed/libSettingsPorts.so -Xlinker -soname=libSettingsPorts.so & a=$!
ports copied -emit-library -static -o copied/libSettingsPorts.a & b=$!
together $a $b

# Three versions of one vendor, each with its C module.
vendor() {
    clang -c -fPIC "$fixtures/Vendor/$2/cvendor.c" -o "$1/cvendor.o"
    swift -module-name Vendor -I "$fixtures/Vendor/$2" "$fixtures/Vendor/$2/Vendor.swift" -emit-module \
        -emit-module-path "$1/Vendor.swiftmodule" -emit-object -o "$1/vendor.o"
}
vendor v1 V1 & a=$!
vendor v2 V2 & b=$!
together $a $b
vendor v3 V3

printf '{ global: cofferdam_side; local: *; };\n' >entry.map
# side LIBRARY MAJOR PORTS [OPTION…]
side() {
    library=$1 major=$2 ports=$3
    shift 3
    swift -emit-library -o "$library" -module-name "Side$major" "$fixtures/Sides/V$major.swift" -I "v$major" \
        -I "$fixtures/Vendor/V$major" -I "$ports" "v$major/vendor.o" "v$major/cvendor.o" -L kit -lCofferdamSides \
        -L "$ports" -lSettingsPorts -Xlinker -rpath -Xlinker "$out/ports" "$@"
}
side libV1.so 1 ports -Xlinker --version-script=entry.map & a=$!
side libV2.so 2 ports -Xlinker --version-script=entry.map & b=$!
together $a $b
side libV2Symbolic.so 2 ports -Xlinker -Bsymbolic & a=$!
side libV2Open.so 2 ports & b=$!
together $a $b
side libV2Changed.so 2 changed -Xlinker --version-script=entry.map & a=$!
side libV2Copied.so 2 copied -Xlinker --version-script=entry.map & b=$!
together $a $b
text() { swift -emit-library -o "libText$1.so" -module-name Text -D "$1" "$fixtures/Sides/Text.swift" -L kit -lCofferdamSides; }
text V1 & a=$!
text V2 & b=$!
together $a $b

# A host with a version of its own: linked into it, or in a dynamic library, whose symbols everyone sees.
host() {
    name=$1
    shift
    swiftc -swift-version 6 -I "$kit/CCofferdamSides" -I kit -I v3 -I "$fixtures/Vendor/V3" -I ports -L kit -L ports \
        -lCofferdamSides -lSettingsPorts -Xlinker -rpath -Xlinker "$out/ports" -Xlinker -rpath -Xlinker "$out" \
        -o "$name" "$fixtures/Host/main.swift" "$@"
}
swift -emit-library -o libHostVendor.so v3/vendor.o v3/cvendor.o -module-name HostVendor -Xlinker -soname=libHostVendor.so & a=$!
host host v3/vendor.o v3/cvendor.o & b=$!
together $a $b
host host-shared -L . -lHostVendor
