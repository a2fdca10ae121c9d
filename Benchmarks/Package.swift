// swift-tools-version: 6.3
import PackageDescription

// Measurements of the protocol core: a package of its own, so that the project's builds stay free of them. The folders of
// the project are linked into Sources, which makes them targets of this package, and their `package` declarations can be
// reached. Whole daemons are measured by `scripts/bench`.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// A folder of the project.
func project(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "kairan-benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.0")],
    targets: [
        .systemLibrary(name: "CSodium", path: "Sources/CSodium"),
        project("Sodium", ["CSodium"]),
        project("Wire", []),
        project("Identity", ["Wire", "Sodium"]),
        project("Capabilities", ["Identity", "Wire", "Sodium"]),
        project("Records", ["Wire", "Sodium"]),
        project("Queries", ["Wire"]),
        project("Mailbox", ["Records", "Wire", "Sodium"]),
        project("Sync", ["Mailbox", "Queries", "Records", "Capabilities", "Identity", "Wire", "Sodium"]),
        project("Session", ["Wire", "Sodium"]),
        project(
            "Sealing",
            ["Session", "Sync", "Records", "Sodium", .product(name: "Crypto", package: "swift-crypto")]
        ),
        project("TestSupport", []),
        .executableTarget(
            name: "core-bench",
            dependencies: ["Sealing", "Sync", "Records", "Capabilities", "Identity", "Wire", "Sodium", "TestSupport"],
            path: "Targets/CoreBench",
            swiftSettings: settings
        ),
    ]
)
