/// The description of the interface in the served form: `docs/api/openapi.yaml`, which the build embeds.
enum OpenAPIDocument {
    /// The whole document.
    static let text = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
}
