/// The description of the interface as it is served: `docs/api/openapi.yaml`, which the build embeds.
enum OpenAPIDocument {
    /// The whole document.
    static let text = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
}
