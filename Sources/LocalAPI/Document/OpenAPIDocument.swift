/// The description of the interface as it is served.
///
/// Written from `docs/api/openapi.yaml` by the tests of this target when `KAIRAN_RECORD=1` is set; another
/// test fails when the two differ.
enum OpenAPIDocument {
    /// The whole document.
    static let text = part1 + part2 + part3 + part4 + part5 + part6 + part7 + part8
}
