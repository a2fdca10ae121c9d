// swift-tools-version: 6.3
import PackageDescription

// Applications that use Kairan like any third-party program: a package of its own, which can reach the public
// declarations of KairanClient and nothing else.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]
let kairan: Target.Dependency = .product(name: "KairanClient", package: "kairan")

let package = Package(
    name: "kairan-examples",
    platforms: [.macOS(.v26)],
    products: [
        .executable(name: "kairan-chat", targets: ["Chat"]),
        .executable(name: "kairan-notes", targets: ["Notes"]),
        .executable(name: "kairan-photos", targets: ["Photos"]),
    ],
    dependencies: [
        // Without the trait `Daemon`: of the packages that Kairan consists of only those of the client library are resolved.
        .package(name: "kairan", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "Chat",
            dependencies: [kairan, .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Chat",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Photos",
            dependencies: [kairan, .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Photos",
            swiftSettings: settings
        ),
        // The tutorial's code.
        .executableTarget(name: "Notes", dependencies: [kairan], path: "Notes", swiftSettings: settings),
    ]
)
