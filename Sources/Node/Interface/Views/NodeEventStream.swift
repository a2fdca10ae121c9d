/// Events in order; ends when the subscriber is too slow (its last element then is `.end`) or the node stops.
package typealias NodeEventStream = AsyncStream<NodeEvent>
