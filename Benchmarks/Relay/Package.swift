// swift-tools-version: 6.3
import PackageDescription

// Measurements of the storages in which a relay keeps parcels. It is a package of its own, since it needs SQLite,
// NATS and the network, which the measurements of the core do not. The folders of the project are linked into
// Sources, as those of `Benchmarks` are. `scripts/bench-relay` builds it and compares its figures with others.
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

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "relay-benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CSodium", path: "Sources/CSodium"),
        .systemLibrary(name: "CNATS", path: "Sources/CNATS"),
        project("Sodium", ["CSodium"]),
        project("Wire", []),
        project("Queries", ["Wire"]),
        project("Records", ["Wire", "Sodium"]),
        project("Identity", ["Wire", "Sodium"]),
        project("Capabilities", ["Identity", "Wire", "Sodium"]),
        project("Session", ["Wire", "Sodium"]),
        project("Mailbox", ["Records", "Wire", "Sodium"]),
        project("Sync", ["Mailbox", "Queries", "Records", "Capabilities", "Identity", "Wire", "Sodium"]),
        project("Peering", ["Sync", "Session", "Identity", "Wire", "Sodium"]),
        project("KairanInterface", []),
        project(
            "Node",
            [
                "KairanInterface", "Peering", "Mailbox", "Sync", "Queries", "Records", "Capabilities", "Identity",
                "Session",
                "Wire", "Sodium", log,
                lifecycle, metrics,
            ]
        ),
        project(
            "Store",
            [
                "Mailbox", "Node", "Sync", "Queries", "Records", "Identity", "Sodium", "Wire", log,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        project("Listening", [log, .product(name: "NIOCore", package: "swift-nio")]),
        project(
            "Transport",
            [
                "Listening", "Session", "Wire", "Sodium", "Node", log, lifecycle,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        project("JetStream", ["Mailbox", "Wire", "CNATS", log]),
        project("TestSupport", []),
        .executableTarget(
            name: "parcel-bench",
            dependencies: [
                "JetStream", "Store", "Transport", "Node", "Mailbox", "Identity", "Session", "Wire", "Sodium",
                "TestSupport", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "ParcelBench",
            swiftSettings: settings
        ),
    ]
)
