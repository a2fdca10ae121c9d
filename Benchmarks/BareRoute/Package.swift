// swift-tools-version: 6.3
import PackageDescription

// The baseline that `scripts/bench` compares requests to the daemon with: the HTTP library alone. It is a package of
// its own, so that the measurements of the core do not need the library.
let package = Package(
    name: "bare-route",
    platforms: [.macOS(.v26)],
    dependencies: [.package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0")],
    targets: [
        .executableTarget(
            name: "bare-route",
            dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
            path: ".",
            sources: ["BareRoute.swift"],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
