package main

func recordingCost() string { return "" }
