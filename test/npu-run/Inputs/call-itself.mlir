ge.graph @g {
  %c_ctl = ge.node "PartitionedCall" "c"() calls [@g]
}
